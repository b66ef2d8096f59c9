/**
 * The write path of a leader. How a write travels:
 *
 * <ol>
 *   <li>{@link io.brain.backend.write.Sequencer#submit}, any thread: the proposal becomes a {@code
 *       Request} in the bounded {@code RequestQueue}, and a round is scheduled on the sequencer
 *       thread. All further steps run there.
 *   <li>{@code WriteLoop} takes up to 256 requests, {@code PendingState} fetches the heads that
 *       they name and that are not in memory, and each request is evaluated in order: the proposal
 *       reads the pending state and makes its changes in a {@code BufferedTxnContext}. If it
 *       throws, they are dropped.
 *   <li>{@code TxnApplier} adds the changes to the pending state, as revision + 1, and to the batch
 *       that is being filled: heads, history, metadata records, log events, watch events.
 *   <li>{@code BatchQueue} seals the batch with its fence, and {@code GroupCommitter} sends it to
 *       the engine. One batch is in flight; meanwhile the next one fills.
 *   <li>Committed: the next batch is sent, then {@code Publisher} passes the events to watchers,
 *       publishes the revision and answers the requests. {@code PendingState} keeps the heads in
 *       its {@code RecordCache}.
 *   <li>Not committed: sent again. Uncertain: resolved first. Refused (no space, too large): the
 *       batch and everything evaluated after it fail. Conflict, the fence has another owner: the
 *       term ends.
 * </ol>
 */
package io.brain.backend.write;
