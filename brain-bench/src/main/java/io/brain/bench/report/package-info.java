/** Results as a table, a JSON file and plots. */
package io.brain.bench.report;
