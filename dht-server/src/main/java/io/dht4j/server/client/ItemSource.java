package io.dht4j.server.client;

import java.io.IOException;
import java.util.Optional;

/** Where entries to be written come from, one after the other. For one thread. */
public interface ItemSource {

    /**
     * Reads an entry. Blocks.
     *
     * @return the next one, or empty at the end
     * @throws IOException if reading fails
     * @throws ClientException if what is read is no entry; the message says where
     */
    Optional<Item> next() throws IOException, ClientException;

    /**
     * Where the entry that was read last stands.
     *
     * @return a few words for people
     */
    String place();

    /**
     * How many bytes were read so far.
     *
     * @return 0 or more
     */
    long bytesRead();
}
