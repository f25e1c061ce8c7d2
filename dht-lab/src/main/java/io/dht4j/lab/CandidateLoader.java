package io.dht4j.lab;

import io.dht4j.spi.HashFunction;
import io.dht4j.spi.Placement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Loads candidates by the name of their class, from jars or from the class path of this process. Their code sees the
 * classes of this process first, so a jar that contains the API too does no harm. Safe for use by any number of
 * threads.
 *
 * <p>Every failure is a {@link CandidateException} of one sentence for people.
 */
public final class CandidateLoader implements AutoCloseable {

    private final CandidateJars jars;
    private final Duration bound;
    private final URLClassLoader classes;

    private CandidateLoader(CandidateJars jars, Duration bound) {
        this.jars = jars;
        this.bound = bound;
        this.classes = new URLClassLoader(
                jars.paths().stream().map(CandidateLoader::url).toArray(URL[]::new),
                CandidateLoader.class.getClassLoader());
    }

    /**
     * Opens jars: the one with the candidates, and those that it needs. Blocks.
     *
     * @param jars files on disk; none to use the class path of this process alone
     * @return a loader, which the caller closes after the last use of the candidates
     * @throws CandidateException if a file is missing or is no jar
     */
    public static CandidateLoader of(List<Path> jars) {
        return of(jars, Guard.BOUND);
    }

    /** As {@link #of(List)}, with another bound of constructors. */
    static CandidateLoader of(List<Path> jars, Duration bound) {
        return new CandidateLoader(CandidateJars.read(jars), bound);
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Loads a transport.
     *
     * @param className name of a class that implements {@link TransportCandidate}, with dots
     * @return a new instance, guarded
     * @throws CandidateException if there is no such class, or it is unfit
     */
    public TransportCandidate transport(String className) {
        return Candidates.guarded(create(className, TransportCandidate.class));
    }

    /**
     * Loads a store.
     *
     * @param className name of a class that implements {@link StoreCandidate}, with dots
     * @return a new instance, guarded
     * @throws CandidateException if there is no such class, or it is unfit
     */
    public StoreCandidate store(String className) {
        return Candidates.guarded(create(className, StoreCandidate.class));
    }

    /**
     * Loads a placement.
     *
     * @param className name of a class that implements {@link Placement}, with dots
     * @return a new instance, guarded
     * @throws CandidateException if there is no such class, or it is unfit
     */
    public Placement placement(String className) {
        return Candidates.guarded(create(className, Placement.class));
    }

    /**
     * Loads a hash function.
     *
     * @param className name of a class that implements {@link HashFunction}, with dots
     * @return a new instance, guarded
     * @throws CandidateException if there is no such class, or it is unfit
     */
    public HashFunction hash(String className) {
        return Candidates.guarded(create(className, HashFunction.class));
    }

    private <T> T create(String className, Class<T> wanted) {
        try {
            return newInstance(fit(load(className), wanted));
        } catch (LinkageError e) {
            throw LinkageMessages.of(className, jars.toString(), e);
        }
    }

    private Class<?> load(String className) {
        try {
            return Class.forName(className, false, classes);
        } catch (ClassNotFoundException e) {
            throw new CandidateException("no class " + className + " in " + jars + jars.suggestions(className), e);
        }
    }

    private static <T> Constructor<? extends T> fit(Class<?> type, Class<T> wanted) {
        String name = "class " + type.getName();
        if (!wanted.isAssignableFrom(type)) {
            throw new CandidateException(name + " must implement " + wanted.getName());
        } else if (Modifier.isAbstract(type.getModifiers())) {
            throw new CandidateException(name + " is " + (type.isInterface() ? "an interface" : "abstract")
                    + "; name a class of which the lab can create an instance");
        } else if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
            throw new CandidateException(name + " is an inner class: declare it static");
        } else if (!isPublic(type)) {
            throw new CandidateException(name + " must be public, and the classes around it too");
        }
        try {
            return type.asSubclass(wanted).getConstructor();
        } catch (NoSuchMethodException e) {
            throw new CandidateException(name + " has no public constructor without parameters", e);
        }
    }

    private static boolean isPublic(Class<?> type) {
        Class<?> outer = type.getDeclaringClass();
        return Modifier.isPublic(type.getModifiers()) && (outer == null || isPublic(outer));
    }

    private <T> T newInstance(Constructor<? extends T> constructor) {
        String name = constructor.getDeclaringClass().getName();
        try {
            return BoundedCall.of(bound, () -> constructor.newInstance());
        } catch (TimeoutException e) {
            throw new CandidateException("the constructor of class " + name + " " + Guard.tooLong(bound), e);
        } catch (ExecutionException e) {
            throw notCreated(name, e.getCause() == null ? e : e.getCause());
        }
    }

    private static CandidateException notCreated(String name, Throwable failure) {
        if (failure instanceof LinkageError linkage) {
            throw linkage;
        }
        if (!(failure instanceof InvocationTargetException invoked)) {
            return new CandidateException("class " + name + " cannot be created: " + Guard.quote(failure), failure);
        }
        Throwable thrown = invoked.getCause() == null ? invoked : invoked.getCause();
        if (thrown instanceof NoClassDefFoundError missing) {
            throw missing;
        }
        return new CandidateException("the constructor of class " + name + " threw " + Guard.quote(thrown), thrown);
    }

    /**
     * Closes the jars. Candidates that need another class afterwards fail.
     *
     * @throws UncheckedIOException if a file cannot be closed
     */
    @Override
    public void close() {
        try {
            classes.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
