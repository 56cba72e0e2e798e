if object_id('distributed_lock_fence') is null
create table distributed_lock_fence (
	name varchar(200) collate Latin1_General_BIN2 not null primary key,
	fence bigint not null,
	claimed_at bigint not null,
	index distributed_lock_fence_claimed (claimed_at)
);
