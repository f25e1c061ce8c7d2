package io.dht4j.spring.boot;

import org.springframework.boot.SpringBootVersion;

/** Which version of Spring Boot the tests run with. The build runs them with both. */
public final class SpringBoots {

    private SpringBoots() {}

    /** Returns whether it is 3. */
    public static boolean is3() {
        return SpringBootVersion.getVersion().startsWith("3.");
    }

    /** Returns whether it is 4. */
    public static boolean is4() {
        return SpringBootVersion.getVersion().startsWith("4.");
    }
}
