create table distributed_lock_fence (
	name varchar(200) not null primary key,
	fence bigint not null,
	claimed_at bigint not null
);

create index distributed_lock_fence_claimed on distributed_lock_fence (claimed_at);
