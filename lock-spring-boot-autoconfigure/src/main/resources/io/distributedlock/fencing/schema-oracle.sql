create table distributed_lock_fence (
	name varchar2(200 char) not null primary key,
	fence number(19) not null,
	claimed_at number(19) not null
);
