/** Clients, their pace, what is measured meanwhile, and the arithmetic of it. */
package io.brain.bench.load;
