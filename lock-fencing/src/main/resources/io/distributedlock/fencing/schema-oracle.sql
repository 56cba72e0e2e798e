create table distributed_lock_fence (
	name varchar2(200 char) not null primary key,
	fence number(19) not null,
	claimed_at number(19) not null
);

create index distributed_lock_fence_claimed on distributed_lock_fence (claimed_at);
