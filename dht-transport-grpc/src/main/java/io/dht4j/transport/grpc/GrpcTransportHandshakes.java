package io.dht4j.transport.grpc;

import io.dht4j.security.HandshakeFailureLog;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.handler.ssl.NotSslRecordException;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Tells of callers that fail to prove who they are while a connection begins. One for each connection, in front of all.
 */
final class GrpcTransportHandshakes extends ChannelInboundHandlerAdapter {

    private final HandshakeFailureLog refused;

    GrpcTransportHandshakes(HandshakeFailureLog refused) {
        this.refused = refused;
    }

    /** With the first bytes, TLS is there. */
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

    /** Why a caller was refused; empty if it was the caller who went, or who refused this node. */
    private static Optional<String> reason(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof CertificateException) {
                return Optional.of(String.valueOf(cause.getMessage()));
            }
            if (cause instanceof NotSslRecordException) {
                // Its message would show what was sent.
                return Optional.of("it does not speak TLS");
            }
            cause = cause.getCause();
        }
        String message = String.valueOf(failure.getMessage());
        return failure instanceof SSLHandshakeException
                        && message.contains("certificate")
                        && !message.startsWith("Received")
                ? Optional.of("there is no certificate that tells who calls: " + message)
                : Optional.empty();
    }

    /** Without the port, and without looking a name up. */
    static String host(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress inet && inet.getAddress() != null
                ? inet.getAddress().getHostAddress()
                : String.valueOf(address);
    }
}
