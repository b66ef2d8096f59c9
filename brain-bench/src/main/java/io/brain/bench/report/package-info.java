/** Tables, a JSON file and plots of what was measured. */
package io.brain.bench.report;
