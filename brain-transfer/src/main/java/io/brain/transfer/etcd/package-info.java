/**
 * etcd's database files: which buckets and records they have, and what they mean. Facts from etcd
 * 3.7, {@code server/storage/schema}.
 */
package io.brain.transfer.etcd;
