/** Embedded members of the products that the library is compared with, and of its own, behind one interface. */
@NullMarked
package io.dht4j.benchmarks.product;

import org.jspecify.annotations.NullMarked;
