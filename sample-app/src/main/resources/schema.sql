create table if not exists documents (id int primary key, text varchar(200) not null);

create table if not exists payments (order_id varchar(50) primary key, user_id bigint not null, paid boolean not null);

create table if not exists stock (product varchar(50) primary key, quantity int not null, sold int not null);

create table if not exists job_runs (job_id varchar(50) not null, instance varchar(50) not null);

create table if not exists accounts (id varchar(50) primary key, balance int not null);

create table if not exists running_exports (id uuid primary key);

create table if not exists indexes (id varchar(50) primary key, first_part int not null, last_part int not null, readers int not null);
