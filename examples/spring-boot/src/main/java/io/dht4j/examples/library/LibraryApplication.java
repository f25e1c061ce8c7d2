// tag::application[]
package io.dht4j.examples.library;

import io.dht4j.spring.boot.ClusterBuilderCustomizer;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.annotation.Bean;

/** A library whose instances share a cache of books. */
@SpringBootApplication
@EnableCaching
public class LibraryApplication {

    /** Starts an instance: {@code --dht4j.node-id=n1 --server.port=8081}. */
    public static void main(String[] args) {
        SpringApplication.run(LibraryApplication.class, args);
    }

    /** Sets an option that no property sets. */
    @Bean
    ClusterBuilderCustomizer smallValues() {
        return builder -> builder.maxValueBytes(1 << 20);
    }
}
// end::application[]
