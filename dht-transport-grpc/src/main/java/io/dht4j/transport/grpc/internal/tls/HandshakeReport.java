package io.dht4j.transport.grpc.internal.tls;

import io.dht4j.security.HandshakeFailureLog;
import io.dht4j.spi.ConnectFailure;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Reports callers that fail to authenticate during a handshake. One for each connection, in front of all other
 * handlers.
 */
final class HandshakeReport extends ChannelInboundHandlerAdapter {

    private final HandshakeFailureLog refused;

    HandshakeReport(HandshakeFailureLog refused) {
        this.refused = refused;
    }

    /** Finds the TLS handler, which is in the pipeline once the first bytes arrive. */
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        SslHandler tls = context.pipeline().get(SslHandler.class);
        if (tls != null) {
            String caller = host(context.channel().remoteAddress());
            tls.handshakeFuture().addListener(done -> {
                if (!done.isSuccess()) {
                    reason(done.cause()).ifPresent(why -> refused.refused(caller, why));
                }
            });
        }
        context.pipeline().remove(this);
        context.fireChannelRead(message);
    }

    /** Returns why a caller was refused; empty if the caller went away or refused this node. */
    private static Optional<String> reason(Throwable failure) {
        if (ConnectFailure.isPlaintext(failure)) {
            // The exception's message would show the received bytes.
            return Optional.of("it does not speak TLS");
        }
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof CertificateException) {
                return Optional.of(String.valueOf(cause.getMessage()));
            }
            cause = cause.getCause();
        }
        String message = String.valueOf(failure.getMessage());
        return failure instanceof SSLHandshakeException
                        && message.contains("certificate")
                        && !message.startsWith("Received")
                ? Optional.of("the caller presents no certificate of a trusted authority: " + message)
                : Optional.empty();
    }

    /** Returns the host without the port and without a name lookup. */
    static String host(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : String.valueOf(address);
    }
}
