package io.dht4j.transport.tcp.internal.loop;

import java.nio.channels.SelectionKey;

/** The owner of a channel, attached to its key. Called on the loop. */
public interface Selectable {

    /** The channel is ready for the operations of the key. */
    void ready(SelectionKey key);

    /** Ends the channel, because {@link #ready} has thrown. */
    void fail(Throwable error);
}
