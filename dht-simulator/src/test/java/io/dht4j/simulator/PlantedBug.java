package io.dht4j.simulator;

import static net.bytebuddy.matcher.ElementMatchers.none;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.pool.TypePool;

/**
 * The whole product once more, with some of its methods changed: classes of its own, so that nothing else in this
 * process is touched, and no class has to be made to be broken.
 */
final class PlantedBug extends ClassLoader {

    private static final String PRODUCT = "io.dht4j.";

    /** The beginning of the names of the classes that change methods. Both sides share these classes. */
    private static final String PLANTED = PlantedBug.class.getPackageName() + ".Planted";

    private final Map<String, UnaryOperator<DynamicType.Builder<?>>> changes;

    /**
     * The product with changes.
     *
     * @param changes by the names of the classes
     */
    PlantedBug(Map<String, UnaryOperator<DynamicType.Builder<?>>> changes) {
        super(PlantedBug.class.getClassLoader());
        changes.keySet().forEach(name -> {
            if (getParent().getResource(name.replace('.', '/') + ".class") == null) {
                throw new IllegalArgumentException("there is no class " + name);
            }
        });
        this.changes = changes;
    }

    /** Runs a seed and returns what it found. */
    List<?> violations(long seed, SimulationOptions.Mode mode) throws ReflectiveOperationException {
        Class<?> options = loadClass(SimulationOptions.class.getName());
        Class<?> modes = loadClass(SimulationOptions.Mode.class.getName());
        Object same = modes.getEnumConstants()[mode.ordinal()];
        Object report = loadClass(Simulator.class.getName())
                .getMethod("run", long.class, options)
                .invoke(null, seed, options.getMethod("defaults", modes).invoke(null, same));
        return (List<?>) report.getClass().getMethod("violations").invoke(report);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PRODUCT) || name.startsWith(PLANTED)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes;
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            bytes = in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
        UnaryOperator<DynamicType.Builder<?>> change = changes.get(name);
        if (change != null) {
            byte[] unchanged = builder(name).make().getBytes();
            bytes = change.apply(builder(name)).make().getBytes();
            if (Arrays.equals(bytes, unchanged)) {
                throw new IllegalStateException("the change of " + name + " meets none of its methods");
            }
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    private DynamicType.Builder<?> builder(String name) {
        ClassFileLocator locator = ClassFileLocator.ForClassLoader.of(getParent());
        // Lambdas are changed too.
        return new ByteBuddy()
                .ignore(none())
                .redefine(TypePool.Default.of(getParent()).describe(name).resolve(), locator);
    }
}
