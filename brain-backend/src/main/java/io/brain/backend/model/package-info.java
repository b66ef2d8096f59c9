/** Words that all parts of the backend share: queries, transactions, answers, events, errors. */
package io.brain.backend.model;
