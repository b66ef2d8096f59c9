/**
 * Storage on a MySQL, MariaDB or PostgreSQL database: one table of ordered keys, one row that every
 * commit locks. {@code SqlStorage} gives commits to {@code SqlCommitter}; {@code SqlSnapshot} and
 * {@code SqlCursor} read inside one transaction of the database. What the databases do differently
 * is a {@code Dialect}.
 */
package io.brain.storage.mysql;
