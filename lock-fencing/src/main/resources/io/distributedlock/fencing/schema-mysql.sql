create table if not exists distributed_lock_fence (
	name varchar(200) character set ascii collate ascii_bin not null primary key,
	fence bigint not null,
	claimed_at bigint not null,
	index distributed_lock_fence_claimed (claimed_at)
) engine = InnoDB;
