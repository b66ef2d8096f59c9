/**
 * Typed options: name, type, default, help text and validation in one declaration. The server
 * declares its flags with them, and the storage engines their {@code --storage-option} keys.
 */
package io.brain.options;
