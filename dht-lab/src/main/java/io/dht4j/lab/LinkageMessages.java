package io.dht4j.lab;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Describes why the JVM cannot link a candidate's class. */
final class LinkageMessages {

    /** The major version of class files minus the version of Java. */
    private static final int CLASS_FILE_OFFSET = 44;

    private static final Pattern CLASS_FILE =
            Pattern.compile("([\\w/$]+) has been compiled.*class file version (\\d+)");

    private LinkageMessages() {}

    static CandidateException of(String className, String jars, LinkageError e) {
        String message = String.valueOf(e.getMessage());
        if (e instanceof UnsupportedClassVersionError) {
            Matcher newer = CLASS_FILE.matcher(message);
            if (newer.find()) {
                return new CandidateException(
                        "class " + name(newer.group(1)) + " is compiled for Java "
                                + (Integer.parseInt(newer.group(2)) - CLASS_FILE_OFFSET) + ", and this is Java "
                                + Runtime.version().feature() + ": compile it with --release "
                                + Runtime.version().feature() + ", or run a newer Java",
                        e);
            }
        } else if (e instanceof ExceptionInInitializerError && e.getCause() != null) {
            return new CandidateException(
                    "the static initializer of class " + className + " threw " + Guard.quote(e.getCause()), e);
        } else if (e instanceof NoClassDefFoundError && e.getCause() instanceof ClassNotFoundException) {
            return new CandidateException(
                    "class " + className + " needs class " + name(message) + ", which is not in " + jars
                            + ": add the jar that has it",
                    e);
        } else if (e instanceof NoClassDefFoundError && message.contains("wrong name")) {
            return new CandidateException(
                    "no class " + className + " in " + jars + ": letters of the name differ in case", e);
        }
        return new CandidateException("class " + className + " cannot be linked: " + Guard.quote(e), e);
    }

    private static String name(String internal) {
        return internal.replace('/', '.');
    }
}
