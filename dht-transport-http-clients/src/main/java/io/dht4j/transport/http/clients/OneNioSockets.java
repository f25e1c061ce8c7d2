package io.dht4j.transport.http.clients;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Optional;
import one.nio.net.Socket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses between one-nio's sockets. Its native ones are the fastest, but a virtual thread that waits in native code
 * keeps its carrier, and there are only as many carriers as cores. Its Java sockets release the carrier; their class is
 * not public.
 */
final class OneNioSockets {

    private static final Logger LOG = LoggerFactory.getLogger(OneNioSockets.class);

    private static final Optional<MethodHandle> JAVA_SOCKET;

    static {
        OneNioNatives.load(); // Before any class of one-nio.
        JAVA_SOCKET = javaSocket();
    }

    private OneNioSockets() {}

    private static Optional<MethodHandle> javaSocket() {
        try {
            Class<?> type = Class.forName("one.nio.net.JavaSocket");
            return Optional.of(MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                    .findConstructor(type, MethodType.methodType(void.class))
                    .asType(MethodType.methodType(Socket.class)));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Unpacks and loads the native library, where there is one for the machine. Blocks, so it must not run on an event
     * loop.
     */
    static void load() {
        if (Socket.USE_NATIVE_SOCKET) {
            LOG.debug("one-nio uses its native sockets");
        }
    }

    /** Returns whether there are sockets that virtual threads can wait for. */
    static boolean fitVirtualThreads() {
        return JAVA_SOCKET.isPresent() || !Socket.USE_NATIVE_SOCKET;
    }

    /** Creates a socket that is not connected. */
    static Socket create(boolean forVirtualThreads) throws Throwable {
        return forVirtualThreads && JAVA_SOCKET.isPresent()
                ? (Socket) JAVA_SOCKET.get().invokeExact()
                : Socket.createClientSocket();
    }
}
