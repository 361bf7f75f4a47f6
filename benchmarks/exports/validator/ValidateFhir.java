// Validates resources of HL7 FHIR R4 by HAPI FHIR: `java -cp JARS/* ValidateFhir.java FILE...`.
//
// Files with the suffix .ndjson have one resource a line, all others one resource each. Writes a line
// of JSON for each resource, as they come: file, number of the line, type, and the faults, each by
// its place in the resource and its message. Codes of systems that are not among HL7's own, such as
// LOINC, are not looked up.

import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.context.support.DefaultProfileValidationSupport;
import ca.uhn.fhir.validation.FhirValidator;
import ca.uhn.fhir.validation.ResultSeverityEnum;
import ca.uhn.fhir.validation.SingleValidationMessage;
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.hl7.fhir.common.hapi.validation.support.CommonCodeSystemsTerminologyService;
import org.hl7.fhir.common.hapi.validation.support.InMemoryTerminologyServerValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.UnknownCodeSystemWarningValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.ValidationSupportChain;
import org.hl7.fhir.common.hapi.validation.validator.FhirInstanceValidator;

public class ValidateFhir {
    private static final Gson GSON = new Gson();

    public static void main(String[] files) throws IOException {
        FhirContext context = FhirContext.forR4();
        UnknownCodeSystemWarningValidationSupport unknown =
            new UnknownCodeSystemWarningValidationSupport(context);
        unknown.setNonExistentCodeSystemSeverity(
            ca.uhn.fhir.context.support.IValidationSupport.IssueSeverity.WARNING);
        ValidationSupportChain support = new ValidationSupportChain(
            new DefaultProfileValidationSupport(context),
            new CommonCodeSystemsTerminologyService(context),
            new InMemoryTerminologyServerValidationSupport(context),
            unknown);
        FhirInstanceValidator module = new FhirInstanceValidator(support);
        module.setAnyExtensionsAllowed(true);
        // Profiles of guides, such as US Core, are not at hand.
        module.setErrorForUnknownProfiles(false);
        FhirValidator validator = context.newValidator().registerValidatorModule(module);
        for (String file : files) {
            Path path = Path.of(file);
            List<String> texts = file.endsWith(".ndjson")
                ? Files.readAllLines(path) : List.of(Files.readString(path));
            int number = 0;
            for (String text : texts) {
                number++;
                if (!text.isBlank()) {
                    System.out.println(GSON.toJson(check(validator, path, number, text)));
                }
            }
        }
    }

    private static Map<String, Object> check(
            FhirValidator validator, Path path, int number, String text) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("file", path.getFileName().toString());
        answer.put("line", number);
        answer.put("type", findType(text));
        List<String> faults = new ArrayList<>();
        try {
            for (SingleValidationMessage each : validator.validateWithResult(text).getMessages()) {
                if (each.getSeverity().compareTo(ResultSeverityEnum.ERROR) >= 0) {
                    faults.add(each.getLocationString() + ": " + each.getMessage());
                }
            }
        } catch (RuntimeException error) {
            faults.add(error.getClass().getSimpleName());
        }
        answer.put("faults", faults);
        return answer;
    }

    private static String findType(String text) {
        try {
            JsonObject resource = JsonParser.parseString(text).getAsJsonObject();
            return resource.get("resourceType").getAsString();
        } catch (RuntimeException error) {
            return "";
        }
    }
}
