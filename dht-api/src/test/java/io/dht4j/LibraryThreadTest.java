package io.dht4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LibraryThreadTest {

    private static final Frame CHECK = new Frame("io.dht4j.spi.ClosingThread", "check");
    private static final Frame CLOSE = new Frame("io.dht4j.transport.http.HttpApi", "close");
    private static final Frame ACTION = new Frame("com.example.Application", "lambda$main$0");
    private static final Frame CORE = new Frame("io.dht4j.core.internal.admission.CallerStage", "end");
    private static final Frame THREAD = new Frame("java.lang.Thread", "run");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.netty.channel.nio.NioIoHandler",
                "io.vertx.core.impl.ContextImpl",
                "io.grpc.internal.SerializingExecutor",
                "io.opentelemetry.javaagent.shaded.netty.Handler",
                "io.microraft.impl.RaftNodeImpl"
            })
    void librariesBelowTheCoreAreNoCallers(String library) {
        assertThat(isCalledBack(CHECK, CLOSE, ACTION, CORE, new Frame(library, "run"), THREAD))
                .isTrue();
    }

    @Test
    void remoteClustersCallBackToo() {
        Frame remote = new Frame("io.dht4j.client.RemoteCall", "failed");
        assertThat(isCalledBack(CHECK, CLOSE, ACTION, remote, THREAD)).isTrue();
    }

    @Test
    void theApplicationBelowTheCoreIsTheCaller() {
        assertThat(isCalledBack(CHECK, CLOSE, ACTION, CORE, ACTION, THREAD)).isFalse();
    }

    @Test
    void anOwnerClosesWhatItOwns() {
        Frame owner = new Frame("io.dht4j.core.internal.coordinator.node.NodeCluster", "close");
        assertThat(isCalledBack(CHECK, CLOSE, ACTION, CORE, owner, THREAD)).isFalse();
    }

    private static boolean isCalledBack(Frame... frames) {
        return LibraryThread.isCalledBack(Stream.of(frames));
    }

    /** A frame of a stack that has only names. */
    private record Frame(String className, String method) implements StackWalker.StackFrame {

        @Override
        public String getClassName() {
            return className;
        }

        @Override
        public String getMethodName() {
            return method;
        }

        @Override
        public Class<?> getDeclaringClass() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int getByteCodeIndex() {
            return 0;
        }

        @Override
        public String getFileName() {
            return "";
        }

        @Override
        public int getLineNumber() {
            return 0;
        }

        @Override
        public boolean isNativeMethod() {
            return false;
        }

        @Override
        public StackTraceElement toStackTraceElement() {
            return new StackTraceElement(className, method, "", 0);
        }
    }
}
