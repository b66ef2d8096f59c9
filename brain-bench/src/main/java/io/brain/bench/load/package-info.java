/** Clients, their pace, measurements and statistics. */
package io.brain.bench.load;
