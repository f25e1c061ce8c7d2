package io.dht4j.transport.tcp.internal.server;

import org.jspecify.annotations.Nullable;

/** An answer that waits to be written: a refusal, or the end of an {@link Exchange}. For the loop's thread. */
class PendingAnswer {

    private final long id;
    private int type;
    private byte @Nullable [] bytes;

    PendingAnswer(long id) {
        this.id = id;
    }

    PendingAnswer(long id, int type, byte[] bytes) {
        this(id);
        set(type, bytes);
    }

    final long id() {
        return id;
    }

    final int type() {
        return type;
    }

    /** Returns the reply or the text; null once it is no longer wanted. */
    final byte @Nullable [] bytes() {
        return bytes;
    }

    final void set(int newType, byte @Nullable [] newBytes) {
        type = newType;
        bytes = newBytes;
    }
}
