package io.brain.storage.placed;

import io.brain.storage.CommitResult;
import java.util.concurrent.CompletionStage;

/** A commit that has begun; the next one waits until its outcome is final. */
interface UnresolvedCommit {
    /** Finds the outcome out, or continues; Uncertain: later again. */
    CompletionStage<CommitResult> resolve();
}
