package io.dht4j.spring.cache;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.util.ClassUtils;

/** Names of types as applications write them. */
final class TypeNames {

    private static final Pattern NAME = Pattern.compile("[^<>,\\s]+");

    private TypeNames() {}

    /** Thrown for a value that is not of the type of its cache. */
    static final class OtherTypeException extends IllegalArgumentException {

        private static final long serialVersionUID = 1;

        OtherTypeException(String type, Object value) {
            super("the value is a " + value.getClass().getTypeName() + ", and the value type is " + type);
        }
    }

    /**
     * Returns a type with the binary names of its classes, which Jackson reads.
     *
     * @param type binary or canonical names, arrays and type parameters among them
     * @throws IllegalArgumentException if a class does not exist
     */
    static String binary(String type) {
        return NAME.matcher(type)
                .replaceAll(name -> Matcher.quoteReplacement(find(name.group()).getName()));
    }

    private static Class<?> find(String name) {
        // A canonical name does not show where packages end and outer classes begin.
        for (String tried = name; ; ) {
            try {
                return ClassUtils.forName(tried, ClassUtils.getDefaultClassLoader());
            } catch (ClassNotFoundException | LinkageError e) {
                int dot = tried.lastIndexOf('.');
                if (dot < 0) {
                    throw new IllegalArgumentException(
                            "there is no class " + name + "; a type is com.example.Book, com.example.Outer.Inner, "
                                    + "com.example.Outer$Inner or java.util.List<com.example.Book>",
                            e);
                }
                tried = tried.substring(0, dot) + '$' + tried.substring(dot + 1);
            }
        }
    }
}
