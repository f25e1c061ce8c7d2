package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.client.RemoteOptions;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.TlsFiles;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.transport.grpc.api.GrpcApiOptions;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpRemoteOptions;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An option that is set to null is named by the exception, as a caller's first mistake often is one. */
class NullOptionsTest {

    static Stream<Object> options() {
        return Stream.of(
                CallOptions.defaults(),
                RemoteOptions.defaults(),
                MvStoreOptions.defaults(),
                TcpTransportOptions.at("127.0.0.1", 0),
                HttpTransportOptions.at("127.0.0.1", 0),
                HttpApiOptions.defaults(),
                HttpRemoteOptions.defaults(),
                GrpcTransportOptions.at("127.0.0.1", 0),
                GrpcApiOptions.defaults(),
                GrpcRemoteOptions.defaults(),
                ClusterBuilder.of("n1", Topology.of(Node.of("n1", "127.0.0.1:1"))));
    }

    @ParameterizedTest
    @MethodSource
    void options(Object options) {
        List<String> unnamed = new ArrayList<>();
        int tried = 0;
        for (Method method : options.getClass().getMethods()) {
            boolean takesOneObject = method.getParameterCount() == 1 && !method.getParameterTypes()[0].isPrimitive();
            boolean isOption = !method.getName().equals("equals") && method.getDeclaringClass() != Object.class;
            if (takesOneObject && isOption && !method.isBridge() && !Modifier.isStatic(method.getModifiers())) {
                tried++;
                if (!isNamed(method, options)) {
                    unnamed.add(method.toString());
                }
            }
        }
        assertThat(tried).isPositive();
        assertThat(unnamed).isEmpty();
    }

    @Test
    void filesOfTls() {
        List<String> unnamed = new ArrayList<>();
        for (Method method : TlsFiles.class.getMethods()) {
            if (Modifier.isStatic(method.getModifiers())) {
                for (int i = 0; i < method.getParameterCount(); i++) {
                    Object[] arguments = new Object[method.getParameterCount()];
                    Arrays.fill(arguments, Path.of("a.pem"));
                    arguments[i] = null;
                    if (!isNamed(method, null, arguments)) {
                        unnamed.add(method + " " + i);
                    }
                }
            }
        }
        assertThat(unnamed).isEmpty();
    }

    private static boolean isNamed(Method method, Object target, Object... arguments) {
        try {
            method.invoke(target, arguments.length == 0 ? new Object[1] : arguments);
            return false;
        } catch (InvocationTargetException e) {
            String message = e.getCause().getMessage();
            // The JVM's own message of a null that was used names a call, and not what the caller has to set.
            return message != null && !message.startsWith("Cannot invoke");
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
