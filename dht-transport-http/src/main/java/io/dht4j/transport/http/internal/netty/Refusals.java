package io.dht4j.transport.http.internal.netty;

/** Creates the answers to requests that are refused before the server. Safe for use by any number of threads. */
@FunctionalInterface
public interface Refusals {

    /**
     * Creates the body of an answer. Does not block.
     *
     * @param status the status of the answer, 400 to 599
     * @param detail the error in the request
     * @return the text, in the media type of {@link #CONTENT_TYPE}
     */
    byte[] body(int status, String detail);

    /** The media type of the bodies. */
    String CONTENT_TYPE = "application/problem+json";
}
