/** {@code brain ctl}: shows the state of a running server on a terminal. */
package io.brain.admin.ctl;
