package io.dht4j.server.client;

import java.io.IOException;
import java.util.Optional;

/** A source of entries to be written, one after the other. For one thread. */
public interface ItemSource {

    /**
     * Reads an entry. Blocks.
     *
     * @return the next one, or empty at the end
     * @throws IOException if reading fails
     * @throws ClientException if the input is no entry; the message says where
     */
    Optional<Item> next() throws IOException, ClientException;

    /**
     * Returns the place of the last entry that was read.
     *
     * @return a few words for people
     */
    String place();

    /**
     * Returns how many bytes were read so far.
     *
     * @return 0 or more
     */
    long bytesRead();
}
