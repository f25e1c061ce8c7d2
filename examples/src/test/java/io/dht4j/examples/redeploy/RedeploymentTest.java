package io.dht4j.examples.redeploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application server loads an application again and again: what it has closed must not keep its class loader. */
@Tag("full")
class RedeploymentTest {

    private static final int DEPLOYMENTS = 3;

    /** The JDK keeps the class loader of the last record that it has printed, until it needs the memory. */
    private static final int KEPT_BY_THE_JDK = 1;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @ParameterizedTest
    @ValueSource(
            classes = {
                RedeployedApplication.OverHttp.class,
                RedeployedApplication.RemoteOverHttp.class,
                RedeployedApplication.InVainOverHttp.class,
                RedeployedApplication.InVainOverGrpc.class,
                RedeployedApplication.OverGrpc.class,
                RedeployedApplication.OverTcp.class
            })
    void theClassLoadersOfClosedApplicationsAreFreed(Class<?> application) throws Exception {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (int i = 0; i < DEPLOYMENTS; i++) {
            loaders.add(deployed(application.getName()));
        }
        await().atMost(PATIENCE).untilAsserted(() -> {
            System.gc();
            assertThat(loaders)
                    .filteredOn(loader -> !loader.refersTo(null))
                    .as("class loaders of closed applications")
                    .hasSizeLessThanOrEqualTo(KEPT_BY_THE_JDK);
        });
    }

    /** Runs the application in a class loader of its own, on this thread. */
    private static WeakReference<ClassLoader> deployed(String application) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            Object instance =
                    loader.loadClass(application).getDeclaredConstructor().newInstance();
            assertThat(((Callable<?>) instance).call()).isEqualTo("hello");
            return new WeakReference<>(loader);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static URL[] classPath() throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(url(entry));
        }
        return urls.toArray(URL[]::new);
    }

    private static URL url(String entry) throws MalformedURLException {
        return Path.of(entry).toUri().toURL();
    }
}
