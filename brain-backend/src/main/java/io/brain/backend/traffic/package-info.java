/** What clients do most, counted in little room, for people who look on. */
package io.brain.backend.traffic;
