package io.dht4j.transport.http.internal.netty;

/**
 * Makes the answers to requests that are refused before the server sees them. Safe for use by any number of threads.
 */
@FunctionalInterface
public interface Refusals {

    /**
     * Makes the body of an answer. Does not block.
     *
     * @param status the status of the answer, 400 to 599
     * @param detail what is wrong with the request
     * @return the text, in the media type of {@link #CONTENT_TYPE}
     */
    byte[] body(int status, String detail);

    /** The media type of the bodies. */
    String CONTENT_TYPE = "application/problem+json";
}
