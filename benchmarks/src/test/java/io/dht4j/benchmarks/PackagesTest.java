package io.dht4j.benchmarks;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class PackagesTest {

    @Test
    void noPackagesDependOnEachOther() {
        JavaClasses lab = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("/jmh_generated/"))
                .importPackages("io.dht4j.benchmarks");
        assertThat(lab.stream().map(JavaClass::getPackageName).distinct())
                .contains("io.dht4j.benchmarks.scenario", "io.dht4j.benchmarks.scenarios", "io.dht4j.benchmarks.cli");

        // Each package is a slice of its own, apart from those below it.
        slices().matching("io.dht4j.benchmarks.(**)").should().beFreeOfCycles().check(lab);
    }
}
