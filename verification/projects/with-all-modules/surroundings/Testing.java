import java.util.concurrent.CompletableFuture;
import io.distributedlock.test.LockedContextAssert;
import io.distributedlock.test.ScheduledMethods;
import io.distributedlock.test.TestLocks;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class Testing extends Surroundings {

	static final Instant THREE = Instant.parse("2026-11-27T03:00:00Z");

	ConfigurableApplicationContext context;

	TestLocks locks;

	OrderService orders;

	Reports reports;

	interface OrderService {

		void order(int id);

		String orderWithinAMinute(int id);

	}

	interface Reports {

		void writeReport();

		int written();

	}

}
