package com.example;

import io.distributedlock.annotation.DistributedLock;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Service;

/**
 * What is tested.
 */
@SpringBootApplication
public class Application {

}

@Service
class OrderService {

	@DistributedLock("order:#{#id}")
	public void order(long id) {
	}

}
