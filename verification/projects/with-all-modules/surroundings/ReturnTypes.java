import io.distributedlock.reactive.ReactiveLocks;
import reactor.core.publisher.Mono;

class ReturnTypes extends Surroundings {

	ReactiveLocks locks;

	LockOptions options;

	String orderId;

	Mono<Receipt> pay(String orderId, long fencingToken) {
		return Mono.just(new Receipt());
	}

}
