import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

class MigrationRedisson extends Surroundings {

	RedissonClient redisson;

	String item;

	String orderId;

	void charge(String orderId) {
	}

	void decrease(String item) {
	}

}
