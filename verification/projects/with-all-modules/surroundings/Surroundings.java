import java.lang.annotation.*;
import java.time.*;
import java.util.*;
import io.distributedlock.*;
import io.distributedlock.annotation.*;
import io.distributedlock.leadership.*;
import io.distributedlock.leadership.annotation.*;
import org.springframework.cache.*;
import org.springframework.cache.annotation.*;
import org.springframework.core.annotation.AliasFor;
import org.springframework.dao.*;
import org.springframework.resilience.annotation.*;
import org.springframework.scheduling.annotation.*;
import org.springframework.stereotype.*;
import org.springframework.transaction.*;
import org.springframework.transaction.annotation.*;
import org.springframework.transaction.support.*;

/**
 * What the examples of all pages use and do not show. Those that are not the first of their page also have these imports.
 * A page with more has a file of its own.
 */
class Surroundings {

	LockService locks;

	io.distributedlock.fencing.Fences fences;

	TransactionTemplate transaction;

	org.springframework.jdbc.core.JdbcTemplate jdbc;

	Accounts accounts;

	Order order;

	Repository repository;

	void store(Batch batch) {
	}

	void stopWriting() {
	}

	void deleteOldFiles() {
	}

	void startWorker(long fencingToken) {
	}

	void stopWorker() {
	}

	record Order(String id) {
	}

	record Batch() {
	}

	record Book() {
	}

	record Receipt() {
	}

	record Report() {
	}

	interface Accounts {

		int balance(int id);

		void save(int id, int balance);

		void deposit(int id, int amount);

	}

	interface Repository {

		reactor.core.publisher.Mono<Order> save(Order order, long fencingToken);

	}

}
