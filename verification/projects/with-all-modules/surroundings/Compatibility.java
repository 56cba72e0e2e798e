import java.util.function.Supplier;
import org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import redis.clients.jedis.RedisCredentials;

class Compatibility extends Surroundings {

}
