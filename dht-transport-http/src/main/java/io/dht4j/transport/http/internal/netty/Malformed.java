package io.dht4j.transport.http.internal.netty;

import io.netty.handler.codec.DecoderException;
import javax.net.ssl.SSLException;

/** Recognizes answers that are none of HTTP. */
public final class Malformed {

    private Malformed() {}

    /** Returns whether the other side has sent bytes that are no HTTP, in plaintext or within TLS. */
    public static boolean isNotHttp(Throwable failure) {
        return failure instanceof DecoderException && !(failure.getCause() instanceof SSLException);
    }
}
