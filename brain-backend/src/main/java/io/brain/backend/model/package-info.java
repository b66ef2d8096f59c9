/** Requests, results, events and errors of the backend. */
package io.brain.backend.model;
