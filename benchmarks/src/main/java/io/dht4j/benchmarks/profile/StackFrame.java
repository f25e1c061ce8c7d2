package io.dht4j.benchmarks.profile;

/**
 * A frame of a stack.
 *
 * @param name a method as {@code package/Class.method}, a function, or an allocated class as {@code package.Class},
 *     without async-profiler's suffix
 * @param kernel whether it is within the kernel
 */
record StackFrame(String name, boolean kernel) {

    private static final int MARK = "_[k]".length();
    private static final String SHADED = "io/grpc/netty/shaded/";

    static StackFrame parse(String text) {
        String name = text;
        boolean kernel = false;
        int mark = text.length() - MARK;
        if (mark > 0 && text.startsWith("_[", mark) && text.endsWith("]")) {
            name = text.substring(0, mark);
            // Allocated classes have suffixes of functions, with other meanings.
            kernel = text.endsWith("_[k]") && !isClass(name);
        }
        return new StackFrame(name.startsWith(SHADED) ? name.substring(SHADED.length()) : name, kernel);
    }

    private static boolean isClass(String name) {
        return name.endsWith("[]") || (name.indexOf('.') > 0 && name.indexOf('/') < 0 && !name.startsWith("["));
    }

    /** Returns whether it is a function of the JVM, or of another library in C++. */
    boolean isCpp() {
        return name.contains("::");
    }

    boolean startsWithAny(Iterable<String> prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
