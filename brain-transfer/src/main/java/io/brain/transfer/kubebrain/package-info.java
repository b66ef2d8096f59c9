/** Reads data that KubeBrain stored. */
package io.brain.transfer.kubebrain;
