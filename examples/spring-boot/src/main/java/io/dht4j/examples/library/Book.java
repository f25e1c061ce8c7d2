// tag::book[]
package io.dht4j.examples.library;

/**
 * A book.
 *
 * @param isbn its number
 * @param title its title
 */
public record Book(String isbn, String title) {}
// end::book[]
