/**
 * Scenarios: what a client does, written once, played to both servers, its transcripts compared.
 */
package io.brain.conformance.script;
