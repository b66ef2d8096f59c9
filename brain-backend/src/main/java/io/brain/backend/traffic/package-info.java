/** Changes by key prefix, for operators. */
package io.brain.backend.traffic;
