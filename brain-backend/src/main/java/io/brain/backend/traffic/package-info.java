/** Statistics of writes by key prefix, in bounded memory. */
package io.brain.backend.traffic;
