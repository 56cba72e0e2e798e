merge into documents (id, text) values
	(1, 'A lease is a promise with an end: the holder may keep the resource until the lease expires.'),
	(2, 'A fencing token grows with every holder, so a resource can refuse a delayed writer.'),
	(3, 'Monotonic clocks measure durations; calendars and wall clocks are adjusted behind your back.'),
	(4, 'Fairness means that nobody waits forever while others are served again and again.'),
	(5, 'Failover without replication loses the newest writes, and with them the newest locks.');
