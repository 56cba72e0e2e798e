import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

class Migration extends Surroundings {

	RedissonClient redisson;

	String item;

	void decrease(String item) {
	}

}
