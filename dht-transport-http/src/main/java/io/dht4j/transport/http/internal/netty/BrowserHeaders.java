package io.dht4j.transport.http.internal.netty;

import io.netty.util.AsciiString;

/**
 * Headers of every answer that keep the pages of other sites from using it: browsers neither guess another media type
 * than the answer's own, nor load the answer as a script, picture or style of another origin.
 */
public final class BrowserHeaders {

    /** The header that forbids browsers to guess a media type. */
    public static final CharSequence CONTENT_TYPE_OPTIONS = AsciiString.cached("X-Content-Type-Options");

    /** The value of {@link #CONTENT_TYPE_OPTIONS}. */
    public static final CharSequence NOSNIFF = AsciiString.cached("nosniff");

    /** The header that names the pages that may load an answer as a part of theirs. */
    public static final CharSequence RESOURCE_POLICY = AsciiString.cached("Cross-Origin-Resource-Policy");

    /** The value of {@link #RESOURCE_POLICY}. */
    public static final CharSequence SAME_ORIGIN = AsciiString.cached("same-origin");

    private BrowserHeaders() {}
}
